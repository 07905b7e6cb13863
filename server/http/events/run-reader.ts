import { hash } from 'node:crypto'
import type { Run } from '../../../core/domain/run.ts'
import { stringifyJson } from '../../../core/common/json.ts'
import type { Line, LineMove } from '../../../core/ports/runs/journal-reader.ts'
import { showRun, type ShownRun } from '../resources/runs/redact-run.ts'
import { runView, stepView } from '../resources/runs/run-view.ts'
import type { Services } from '../routing/route.ts'
import type { StreamEvent } from './event-text.ts'
import { allTold, cursorText, nothingTold, Told, type RunCursor } from './run-cursor.ts'

type Needed = Pick<Services, 'stores' | 'directory' | 'catalogue' | 'playbooks'>
type View = Readonly<Record<string, unknown>>

/** So much of a journal is read at once. */
const piece = { lines: 200, bytes: 250_000 }

/** Reads of a run what somebody has not been told. */
export interface RunReader {
  /**
   * A piece of it. What has been given counts as told; the rest is left when nobody asks for more. Returns `more` where there is more
   * already, else that it waits for a change, or is at the end.
   */
  news(): AsyncGenerator<StreamEvent, 'end' | 'more' | 'wait_for_change'>
}

/** Finds the place in the journal up to which the cursor tells. */
export async function openRunReader(run: Run, cursor: RunCursor, services: Needed): Promise<RunReader> {
  const { lines } = services.stores
  const last = cursor.steps - 1
  const rows =
    cursor.steps === 0
      ? new Map<number, number>()
      : await lines.rowsAt(run.uuid, [last, ...cursor.open.keys()])
  const behind = rows.get(last)
  // Of another run, or of a journal that was taken back with a backup.
  const told = new Told(cursor.steps > 0 && behind === undefined ? nothingTold : cursor)
  const open = [...told.open.keys()].flatMap((place) => {
    const row = rows.get(place)
    return row === undefined ? [] : [[row, place] as const]
  })
  return new JournalReader(run, told, behind, new Map(open), await showRun(run, services), services)
}

class JournalReader implements RunReader {
  readonly #run: Pick<Run, 'uuid' | 'organizationUuid'>
  readonly #told: Told
  /** Row of the last line that was told. */
  #behind: number | undefined
  /** Places of lines that were told and have not ended, by row. */
  readonly #open: Map<number, number>
  readonly #shown: ShownRun
  readonly #services: Needed

  constructor(
    { uuid, organizationUuid }: Run,
    told: Told,
    behind: number | undefined,
    open: Map<number, number>,
    shown: ShownRun,
    services: Needed,
  ) {
    this.#run = { uuid, organizationUuid }
    this.#told = told
    this.#behind = behind
    this.#open = open
    this.#shown = shown
    this.#services = services
  }

  async *news(): AsyncGenerator<StreamEvent, 'end' | 'more' | 'wait_for_change'> {
    const { uuid, organizationUuid } = this.#run
    const { stores, directory } = this.#services
    const run = await stores.runs.find([organizationUuid], uuid)
    if (run === undefined) return 'end'
    const listed = await runView(run, directory)
    if (this.#told.tellRun(versionOf(listed)))
      yield this.#event('run', {
        ...listed,
        inputs: this.#shown.inputs,
        output: this.#shown.output(run.output),
      })
    yield* this.#changed()
    const { lines, next } = await stores.lines.stretch(uuid, { after: this.#behind, ...piece })
    yield* this.#begun(lines)
    if (next !== undefined) return 'more'
    if (run.endedAt === null) return 'wait_for_change'
    yield { event: 'end', id: allTold, data: { run_uuid: uuid, status: run.status } }
    return 'end'
  }

  async *#changed(): AsyncGenerator<StreamEvent> {
    const { lines } = this.#services.stores
    for (const move of this.#open.size === 0 ? [] : await lines.moves([...this.#open.keys()])) {
      const place = this.#open.get(move.row)
      if (place === undefined || this.#told.open.get(place) === moveVersion(move)) continue
      const line = await lines.line(move.row)
      if (line === undefined) continue
      yield* this.#tell(line, place)
    }
  }

  *#begun(lines: readonly Line[]): Generator<StreamEvent> {
    for (const line of lines) {
      this.#behind = line.row
      yield* this.#tell(line, this.#told.steps)
    }
  }

  *#tell(line: Line, place: number): Generator<StreamEvent> {
    const { row, entry, failedAttempts } = line
    const isOver = entry.state !== 'started' && entry.state !== 'unknown'
    if (isOver) this.#open.delete(row)
    else this.#open.set(row, place)
    const resolvedAt = entry.resolution?.at
    const move = { row, ...entry, resolvedAt, failedAttempts: failedAttempts.length }
    if (this.#told.tellLine(place, moveVersion(move), isOver))
      yield this.#event('step', stepView(this.#shown.masked(entry), failedAttempts))
  }

  #event(event: string, data: View): StreamEvent {
    return { event, id: cursorText(this.#told), data }
  }
}

/** What changes in a line of the journal; its input does not, and its output comes with its end. */
const moveVersion = ({ state, attempt, resolvedAt, failedAttempts }: LineMove): string =>
  versionOf([state, attempt, resolvedAt, failedAttempts])

const versionOf = (value: unknown): string => hash('sha256', stringifyJson(value), 'base64url').slice(0, 8)
