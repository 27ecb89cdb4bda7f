/** No two rooms of a floor know each other, or one through others: read beside the rules for single files. */
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [
    {
      name: 'no-cycles-of-folders',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  // Tests and what they are made of may look anywhere.
  options: { ...options, exclude: { path: [...options.exclude.path, '[.]test[.]tsx?$', '/testing/'] } },
};
