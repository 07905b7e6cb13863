import { startProfile } from './profile.ts'

/** What a process has used since it began. */
export interface Usage {
  /** Of all its threads, user and system. */
  readonly cpuMs: number
  /** Transactions that waited for the disk. */
  readonly commits: number
  /** Memory it held at most. */
  readonly peakMb: number
}

/** What a process holds, after a collection. */
export interface Memory {
  readonly rssMb: number
  readonly heapMb: number
}

/** What can be asked of a process of a benchmark, and what it answers. */
export interface Answers {
  usage: Usage
  memory: Memory
  profile: null
  /** Self time by part, in milliseconds. */
  'end profile': Readonly<Record<string, number>>
}

/**
 * Says that this process is ready, and answers what the process that started it asks.
 *
 * @param commits how many transactions there were
 */
export function answerParent(ready: unknown, commits: () => number): void {
  let endProfile: (() => Promise<Answers['end profile']>) | undefined
  const answers: { readonly [Question in keyof Answers]: () => Promise<Answers[Question]> } = {
    usage: async () => usage(commits()),
    memory: async () => memory(),
    async profile() {
      endProfile = await startProfile()
      return null
    },
    'end profile': async () => (await endProfile?.()) ?? {},
  }
  process.on(
    'message',
    (question: keyof Answers) => void answers[question]().then((said) => process.send?.(said)),
  )
  process.send?.(ready)
}

export function usage(commits: number): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1_000, commits, peakMb: process.resourceUsage().maxRSS / 1e3 }
}

export function memory(): Memory {
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rssMb: rss / 1e6, heapMb: (heapUsed + external) / 1e6 }
}
