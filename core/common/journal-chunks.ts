import { setImmediate } from 'node:timers/promises'
import type { ChunkRequest, JournalLine, JournalReader } from '../ports/runs/journal-reader.ts'

/** A whole journal in chunks; yields to other work between two of them. */
export async function* journalChunks(
  reader: Pick<JournalReader, 'readChunk'>,
  runUuid: string,
  request: Omit<ChunkRequest, 'after'>,
): AsyncGenerator<readonly JournalLine[], void> {
  let after: number | undefined
  for (;;) {
    const chunk = await reader.readChunk(runUuid, { ...request, after })
    yield chunk.lines
    if (chunk.next === undefined) return
    after = chunk.next
    await setImmediate()
  }
}
