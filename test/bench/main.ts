/** `npm run bench`: figures of the whole, each beside a baseline of the same run. `--seconds N` per measurement, default 4. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { benchExpression } from './expression.ts'
import { benchIntake } from './intake.ts'
import { benchRuns } from './runs.ts'
import { benchStores } from './stores.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' } } })
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error(`--seconds is '${values.seconds}'; give a number above 0`)

const [cpu] = cpus()
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${process.platform}`,
)
await benchIntake(seconds)
await benchRuns(seconds)
await benchStores(seconds)
await benchExpression()
