/** `npm run bench`: figures of the whole system, each with a baseline of the same run. */
import { cpus } from 'node:os'
import { benchBytes } from './bytes.ts'
import { benchCluster } from './cluster.ts'
import { benchEgress } from './egress.ts'
import { benchExpression } from './expression.ts'
import { benchGrowth } from './growth.ts'
import { benchIntake } from './intake.ts'
import { benchLargeRun } from './large-run.ts'
import { readOptions, usage } from './options.ts'
import { benchPage } from './page.ts'
import { benchParts } from './parts.ts'
import { benchRuns } from './runs.ts'
import { benchStorm } from './storm.ts'
import { benchWholeWay } from './whole-way.ts'

const options = readOptions(process.argv.slice(2))
if (options === undefined) {
  console.log(usage)
  process.exit(process.argv.includes('--help') ? 0 : 2)
}

const [cpu] = cpus()
console.log(
  `Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${process.platform}, ${new Date().toISOString().slice(0, 10)}; the best of ${options.rounds} by ${options.seconds} s`,
)
const benchmarks = {
  intake: () => benchIntake(options),
  runs: () => benchRuns(options),
  calls: () => benchEgress(options),
  storm: () => benchStorm(options),
  'whole-way': () => benchWholeWay(options),
  cluster: () => benchCluster(options),
  bytes: () => benchBytes(options),
  growth: () => benchGrowth(options),
  'large-run': () => benchLargeRun(),
  profile: () => benchParts(options),
  page: () => benchPage(options),
  expressions: () => benchExpression(),
}
for (const [name, bench] of Object.entries(benchmarks))
  if (options.only.includes(name) || options.only.length === 0) await bench()
