/** Generated input comes from the seed of the run, which each report of a failure names. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SCANWRIGHT_SEED']) });
