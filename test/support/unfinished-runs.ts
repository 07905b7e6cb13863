import type { ListedRun } from '../../core/ports/runs/run-store.ts'
import type { Stores } from '../../core/ports/stores.ts'

/** Queued, running and waiting runs, newest first. */
export async function unfinishedRuns({ runs }: Pick<Stores, 'runs'>): Promise<readonly ListedRun[]> {
  const found: ListedRun[] = []
  for (let cursor: string | undefined; ;) {
    const page = await runs.list('all', {}, { limit: 200, cursor })
    found.push(...page.data.filter((run) => run.endedAt === null))
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}
