/** `npm run bench`: figures of the whole, each beside a baseline of the same run. `--seconds N` per measurement, default 4. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { benchExpression } from './expression.ts'
import { benchIntake } from './intake.ts'
import { benchRuns } from './runs.ts'
import { benchStores } from './stores.ts'

const usage = 'usage: npm run bench -- [--seconds N]   (per measurement, default 4)'
const seconds = readSeconds()
if (seconds === undefined) {
  console.log(usage)
  process.exit(process.argv.includes('--help') ? 0 : 2)
}

const [cpu] = cpus()
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${process.platform}`,
)
await benchIntake(seconds)
await benchRuns(seconds)
await benchStores(seconds)
benchExpression()

function readSeconds(): number | undefined {
  try {
    const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' } } })
    const number = Number(values.seconds)
    return number > 0 ? number : undefined
  } catch {
    return undefined
  }
}
