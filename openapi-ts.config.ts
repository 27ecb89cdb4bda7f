import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './openapi.json',
  output: { path: 'src/web/api/generated', clean: true },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    { name: '@hey-api/typescript', enums: false },
    '@hey-api/sdk',
    { name: '@tanstack/react-query', queryOptions: true, infiniteQueryOptions: false, mutationOptions: true },
  ],
});
