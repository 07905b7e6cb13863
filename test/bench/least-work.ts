import type { LeastStore } from './least-store.ts'

/** The rows of one alert. Resolves with its key when it is durable. */
export function keepAlert(store: LeastStore, type: string | null, content: string): Promise<number> {
  return store.write(() =>
    store.run(
      'INSERT INTO alerts (type, created_at, status, content) VALUES (?, ?, 0, ?)',
      type,
      Date.now(),
      content,
    ),
  )
}

/**
 * One run with the rows that Tocsin writes: queued, started with a case, a row per step, ended. `step`
 * returns the output of the step with this number. Each step is durable before the next begins.
 */
export async function keepRun(
  store: LeastStore,
  alert: number | null,
  step: (number: number) => unknown,
): Promise<void> {
  const run = await store.write(() =>
    store.run(
      `INSERT INTO runs (alert_id, playbook, status, created_at) VALUES (?, 'five-steps', 'queued', ?)`,
      alert,
      Date.now(),
    ),
  )
  const caseRow = await store.write(() => {
    const now = Date.now()
    const row = store.run(
      `INSERT INTO cases (title, status, created_at) VALUES ('five-steps', 'open', ?)`,
      now,
    )
    addEntry(store, row, 'opened', 'The case was opened.')
    store.run(`UPDATE runs SET status = 'running', started_at = ?, case_id = ? WHERE id = ?`, now, row, run)
    return row
  })
  for (let number = 1; number <= 5; number++) {
    const startedAt = Date.now()
    const output = JSON.stringify(await step(number))
    await store.write(() =>
      store.run(
        `INSERT INTO journal (run_id, path, kind, state, output, started_at, ended_at) VALUES (?, ?, 'set', 'completed', ?, ?, ?)`,
        run,
        `s${number}`,
        output,
        startedAt,
        Date.now(),
      ),
    )
  }
  await store.write(() => {
    store.run(`UPDATE runs SET status = 'completed', ended_at = ? WHERE id = ?`, Date.now(), run)
    addEntry(store, caseRow, 'run_ended', 'The run of five-steps completed.')
  })
}

function addEntry(store: LeastStore, caseRow: number, kind: string, text: string): void {
  store.run(
    'INSERT INTO case_entries (case_id, at, kind, text) VALUES (?, ?, ?, ?)',
    caseRow,
    Date.now(),
    kind,
    text,
  )
}
