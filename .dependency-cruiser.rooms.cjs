/** Forbids cycles between the folders of a floor; runs after the rules for single files. */
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
  // Tests and their helpers may import from any folder.
  options: { ...options, exclude: { path: [...options.exclude.path, '[.]test[.]tsx?$', '/testing/'] } },
};
