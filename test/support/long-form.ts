/**
 * Loaded by `npm run test:long`: random tests run 20 times as often, or `TOCSIN_TEST_TIMES` times, with a new
 * seed or `TOCSIN_TEST_SEED`.
 */
import { seed, times } from './random.ts'

process.env['TOCSIN_TEST_TIMES'] ??= '20'
if (process.env['MOCHA_WORKER_ID'] === undefined)
  process.stdout.write(`random tests: ${times(1)} times as many as usual, TOCSIN_TEST_SEED=${seed}\n`)
