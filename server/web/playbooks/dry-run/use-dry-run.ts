import { useMemo, useState } from 'react'
import { follow, type DryRun } from './dry-run.ts'

export interface Taken {
  readonly answer: DryRun
  /** What it was given, for people. */
  readonly about: string
  /** The source that it is about. */
  readonly source: string
  /** Which answer is looked at, by the path of its question. */
  readonly choices: ReadonlyMap<string, number>
  /** Path of the step that is looked at. */
  readonly selected: string | undefined
}

/** The dry run that is looked at, if there is one, and on which way. */
export function useDryRun() {
  const [taken, setTaken] = useState<Taken>()
  const followed = useMemo(() => taken && follow(taken.answer, taken.choices), [taken])
  const change = (part: Partial<Taken>): void => setTaken((before) => before && { ...before, ...part })
  return {
    taken,
    followed,
    take: (given: Pick<Taken, 'answer' | 'about' | 'source'>) =>
      setTaken({ ...given, choices: new Map(), selected: undefined }),
    choose: (question: string, way: number) =>
      change({ choices: new Map([...(taken?.choices ?? []), [question, way]]) }),
    select: (path: string) => change({ selected: path }),
    clear: () => setTaken(undefined),
  }
}
