/**
 * Loaded by `npm run test:long`: random tests run 20 times as often, or `TOCSIN_TEST_TIMES` times, with a new
 * seed or `TOCSIN_TEST_SEED`. Mocha hands both on to its processes.
 */
process.env['TOCSIN_TEST_TIMES'] ??= '20'
process.env['TOCSIN_TEST_SEED'] ??= String(Date.now() % 1_000_000)
if (process.env['MOCHA_WORKER_ID'] === undefined)
  process.stdout.write(
    `random tests: ${process.env['TOCSIN_TEST_TIMES']} times as many as usual, TOCSIN_TEST_SEED=${process.env['TOCSIN_TEST_SEED']}\n`,
  )
