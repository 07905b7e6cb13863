import { hash } from 'node:crypto'
import type { Run } from '../../../core/domain/run.ts'
import { stringifyJson } from '../../../core/common/json.ts'
import type { JournalLine, JournalLineState } from '../../../core/ports/runs/journal-reader.ts'
import { showRun, type ShownRun } from '../resources/runs/redact-run.ts'
import { runView, stepView } from '../resources/runs/run-view.ts'
import type { Services } from '../routing/route.ts'
import type { StreamEvent } from './event-text.ts'
import { endCursor, cursorText, startCursor, MutableRunCursor, type RunCursor } from './run-cursor.ts'

type Needed = Pick<Services, 'stores' | 'directory' | 'catalogue' | 'playbooks'>
type View = Readonly<Record<string, unknown>>

/** Chunk size of reads of a journal. */
const piece = { lines: 200, bytes: 250_000 }

/** Reads the parts of a run that a client has not received. */
export interface RunReader {
  /**
   * Reads one chunk and counts it as received. Returns `more` if more is ready, otherwise whether to wait for
   * a change or to end.
   */
  news(): AsyncGenerator<StreamEvent, 'end' | 'more' | 'wait_for_change'>
}

/** Finds the position of a cursor in the journal. */
export async function openRunReader(run: Run, cursor: RunCursor, services: Needed): Promise<RunReader> {
  const { journalReader } = services.stores
  const last = cursor.steps - 1
  const rows =
    cursor.steps === 0
      ? new Map<number, number>()
      : await journalReader.rowsAt(run.uuid, [last, ...cursor.open.keys()])
  const behind = rows.get(last)
  // The cursor belongs to another run, or to a journal before a restored backup.
  const position = new MutableRunCursor(cursor.steps > 0 && behind === undefined ? startCursor : cursor)
  const open = [...position.open.keys()].flatMap((place) => {
    const row = rows.get(place)
    return row === undefined ? [] : [[row, place] as const]
  })
  return new JournalReader(run, position, behind, new Map(open), await showRun(run, services), services)
}

class JournalReader implements RunReader {
  readonly #run: Pick<Run, 'uuid' | 'organizationUuid'>
  readonly #cursor: MutableRunCursor
  /** Row of the last received step. */
  #behind: number | undefined
  /** Positions of received steps that have not ended, by row. */
  readonly #open: Map<number, number>
  readonly #shown: ShownRun
  readonly #services: Needed

  constructor(
    { uuid, organizationUuid }: Run,
    position: MutableRunCursor,
    behind: number | undefined,
    open: Map<number, number>,
    shown: ShownRun,
    services: Needed,
  ) {
    this.#run = { uuid, organizationUuid }
    this.#cursor = position
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
    if (this.#cursor.advanceRun(versionOf(listed)))
      yield this.#event('run', {
        ...listed,
        inputs: this.#shown.inputs,
        trigger: this.#shown.trigger,
        output: this.#shown.output(run.output),
      })
    yield* this.#changed()
    const { lines, next } = await stores.journalReader.readChunk(uuid, { after: this.#behind, ...piece })
    yield* this.#begun(lines)
    if (next !== undefined) return 'more'
    if (run.endedAt === null) return 'wait_for_change'
    yield { event: 'end', id: endCursor, data: { run_uuid: uuid, status: run.status } }
    return 'end'
  }

  async *#changed(): AsyncGenerator<StreamEvent> {
    const { journalReader } = this.#services.stores
    for (const move of this.#open.size === 0 ? [] : await journalReader.states([...this.#open.keys()])) {
      const place = this.#open.get(move.row)
      if (place === undefined || this.#cursor.open.get(place) === moveVersion(move)) continue
      const line = await journalReader.line(move.row)
      if (line === undefined) continue
      yield* this.#tell(line, place)
    }
  }

  *#begun(lines: readonly JournalLine[]): Generator<StreamEvent> {
    for (const line of lines) {
      this.#behind = line.row
      yield* this.#tell(line, this.#cursor.steps)
    }
  }

  *#tell(line: JournalLine, place: number): Generator<StreamEvent> {
    const { row, entry, failedAttempts } = line
    const isOver = entry.state !== 'started' && entry.state !== 'unknown'
    if (isOver) this.#open.delete(row)
    else this.#open.set(row, place)
    const resolvedAt = entry.resolution?.at
    const move = { row, ...entry, resolvedAt, failedAttempts: failedAttempts.length }
    if (this.#cursor.advanceStep(place, moveVersion(move), isOver))
      yield this.#event('step', stepView(this.#shown.masked(entry), failedAttempts))
  }

  #event(event: string, data: View): StreamEvent {
    return { event, id: cursorText(this.#cursor), data }
  }
}

/** The fields of a step that change; its input does not, and its output comes with its end. */
const moveVersion = ({ state, attempt, resolvedAt, failedAttempts }: JournalLineState): string =>
  versionOf([state, attempt, resolvedAt, failedAttempts])

const versionOf = (value: unknown): string => hash('sha256', stringifyJson(value), 'base64url').slice(0, 8)
