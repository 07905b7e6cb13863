import { startProfile } from './profile.ts'

/** Resources that a process has used since its start. */
export interface Usage {
  /** CPU time of all threads, user and system. */
  readonly cpuMs: number
  /** Transactions synced to disk. */
  readonly commits: number
  /** Peak memory. */
  readonly peakMb: number
}

/** Memory after a garbage collection. */
export interface Memory {
  readonly rssMb: number
  readonly heapMb: number
}

/** Requests to a process of a benchmark, and its answers. */
export interface Answers {
  usage: Usage
  memory: Memory
  profile: null
  /** Self time by part, in milliseconds. */
  'end profile': Readonly<Record<string, number>>
}

/**
 * Reports that this process is ready, and answers requests of its parent process. @param commits
 * number of transactions
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
