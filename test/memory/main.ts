/**
 * `npm run test:memory`: peak memory of the server under slow sockets and a storm of alerts. Arguments:
 * sockets, alerts.
 */
import { makeTestTocsin } from '../support/server/test-tocsin.ts'
import { besiege } from './siege.ts'

/** MB. */
const most = 768

const [sockets = 500, alerts = 100_000] = process.argv.slice(2).map(Number)
const house = await makeTestTocsin()
try {
  await house.addPlaybook('storm', '  - set: { ok: true }')
  await house.start()
  const held = await besiege(house, { sockets, alerts, characters: 1_000 })
  const { before, peak, accepted, refused, closed, seconds } = held
  process.stdout.write(
    `${sockets} slow sockets (${closed} closed by the server), ${accepted} alerts in ${seconds.toFixed(0)} s, ${refused} told to come back\n` +
      `${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB; allowed are ${most}\n`,
  )
  process.exitCode = peak <= most ? 0 : 1
} finally {
  await house.close()
}
