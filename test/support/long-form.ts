/**
 * Loaded by `npm run test:long`: whatever is random is tried 20 times as often, or as `TOCSIN_TEST_TIMES` says, beginning from a
 * new seed, or from `TOCSIN_TEST_SEED`.
 */
process.env['TOCSIN_TEST_TIMES'] ??= '20'
const { seed, times } = await import('./random.ts')
if (process.env['MOCHA_WORKER_ID'] === undefined)
  console.log(`random tests: ${times(1)} times as many as usual, TOCSIN_TEST_SEED=${seed}`)

export {}
