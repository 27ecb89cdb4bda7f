/** Configures the generated client: base URL, authorization, and `ServiceError` for every failed call. */
import { toServiceError } from './errors.ts';
import { client } from './generated/client.gen.ts';
import { authorization, serviceAddress, sessionToken } from './session-token.ts';

client.setConfig({ baseUrl: serviceAddress, auth: () => authorization() });

client.interceptors.error.use((thrown, response) => {
  const error = toServiceError(thrown, response);
  const isRefused = response?.status === 401 && sessionToken.read() !== null;
  if (isRefused) sessionToken.clear('refused');
  return error;
});
