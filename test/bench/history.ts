import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { cpus, hostname } from 'node:os'
import { dirname } from 'node:path'
import type { Figures } from './measure.ts'

/** One figure of one benchmark run. */
interface Recorded {
  readonly commit: string
  readonly machine: string
  readonly title: string
  readonly connections: number
  readonly ratio: number
  readonly cpuRatio: number
  readonly cpuMs: number
}

/** Number of earlier commits shown. */
const shown = 5
/** Ratios to the baseline of the same run vary by this much between runs of one commit. */
const noise = 0.8

/** Appends figures of this commit to a file, and compares them with earlier commits on the same machine. */
export interface History {
  add(title: string, connections: number, figures: Figures, baseline: Figures): void
  /**
   * The medians of the last commits, and which figures are worse than the median of those before: a header, and a row for each number
   * of connections. Undefined if there is nothing to compare with.
   */
  compare(
    title: string,
  ): readonly [header: readonly string[], rows: readonly (readonly string[])[]] | undefined
}

/** @param commit default: the one that is checked out */
export function openHistory(file: string, commit = currentCommit()): History {
  const [cpu] = cpus()
  const machine = `${hostname()}, ${cpus().length} x ${cpu?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`
  return {
    add(title, connections, figures, baseline) {
      const ratio = figures.perSecond / baseline.perSecond
      const cpuRatio = baseline.cpuMs / figures.cpuMs
      const line: Recorded = { commit, machine, title, connections, ratio, cpuRatio, cpuMs: figures.cpuMs }
      mkdirSync(dirname(file), { recursive: true })
      appendFileSync(file, `${JSON.stringify(line)}\n`)
    },
    compare(title) {
      const lines = readLines(file).filter((line) => line.machine === machine && line.title === title)
      const commits = [...new Set(lines.map((line) => line.commit))].slice(-shown)
      if (commits.length < 2) return undefined
      const counts = [...new Set(lines.map(({ connections }) => connections))]
      const rows = counts.map((connections) => {
        const ofCount = lines.filter((line) => line.connections === connections)
        const medians = commits.map((name) =>
          median(ofCount.filter((line) => line.commit === name).map(({ cpuRatio }) => cpuRatio)),
        )
        const before = median(medians.slice(0, -1).filter((value) => !Number.isNaN(value)))
        const isWorse = (medians.at(-1) ?? NaN) < before * noise
        const cells = medians.map((value) => (Number.isNaN(value) ? '' : value.toFixed(2)))
        return [String(connections), ...cells, isWorse ? 'worse' : '']
      })
      return [['at once', ...commits, ''], rows]
    },
  }
}

function readLines(file: string): readonly Recorded[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Recorded)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

/** With a + where files differ from it. */
function currentCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}
