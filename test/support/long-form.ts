/**
 * Loaded by `npm run test:long`: whatever is random is tried 20 times as often, or as `TOCSIN_TEST_TIMES` says, beginning from a
 * new seed, or from `TOCSIN_TEST_SEED`.
 */
import { seed, times } from './random.ts'

process.env['TOCSIN_TEST_TIMES'] ??= '20'
if (process.env['MOCHA_WORKER_ID'] === undefined)
  process.stdout.write(`random tests: ${times(1)} times as many as usual, TOCSIN_TEST_SEED=${seed}\n`)
