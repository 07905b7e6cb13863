import type { ChangeSource } from '../../../core/domain/change.ts'
import type { Directory } from '../caller/directory.ts'
import type { EventStream } from './event-stream.ts'
import {
  isFed,
  kindsFor,
  visibleChanges,
  type FedKind,
  type FeedReader,
  type VisibleChanges,
} from './feed-view.ts'
import { GatheredChanges } from './gathered-changes.ts'

/** Sends changes to streams until they end. */
export interface ChangeFeed {
  follow(stream: Pick<EventStream, 'send' | 'isFull' | 'taken' | 'over'>, reader: FeedReader): Promise<void>
}

/** Minimum time between events of a stream, so that a page refetches at most twice a second. */
const windowMs = 500
/** One action makes several commits, which are sent together. */
const gatherMs = 50

/** Gathers each change once for all streams, and bounds what each stream receives. */
export function createChangeFeed(
  changes: ChangeSource,
  directory: Pick<Directory, 'organizationCode'>,
): ChangeFeed {
  const gathered = new GatheredChanges()
  const followers = new Set<(told: (reader: FeedReader) => VisibleChanges, codes: Codes) => void>()
  let timer: NodeJS.Timeout | undefined
  let toldAt = -Infinity
  let stop = (): void => undefined

  function begin(): void {
    stop = changes.listen((changed) => {
      for (const change of changed) if (isFed(change.kind)) gathered.add(change)
      if (gathered.isEmpty) return
      timer ??= setTimeout(
        () => void tell(),
        Math.max(gatherMs, toldAt + windowMs - performance.now()),
      ).unref()
    })
  }

  /** Names are optional: without them the event still names the kinds. */
  const codeOf = (uuid: string): Promise<string | null> => directory.organizationCode(uuid).catch(() => null)

  async function tell(): Promise<void> {
    timer = undefined
    toldAt = performance.now()
    const taken = gathered.take()
    const uuids = [...taken.keys()].filter((uuid) => uuid !== null)
    const codes = await Promise.all(uuids.map(async (uuid) => [uuid, await codeOf(uuid)] as const))
    for (const follower of followers) follower((reader) => visibleChanges(taken, reader), new Map(codes))
  }

  return {
    async follow(stream, reader) {
      /** Kinds that changed while the stream was blocked. */
      const missed = new Set<FedKind>()

      function sendMany(kinds: Iterable<FedKind>): void {
        const listed = [...kinds]
        if (listed.length > 0) stream.send({ event: 'many', data: { kinds: listed } })
      }

      function follower(toldTo: (reader: FeedReader) => VisibleChanges, codes: Codes): void {
        const { named, many } = toldTo(reader)
        if (!stream.isFull) {
          for (const { kind, id, organizationUuid } of named)
            stream.send({
              event: kind,
              data: { id, organization_code: codes.get(organizationUuid ?? '') ?? null },
            })
          return sendMany(many)
        }
        const isFirst = missed.size === 0
        for (const kind of [...many, ...named.map(({ kind }) => kind)]) missed.add(kind)
        if (isFirst && missed.size > 0) void stream.taken().then(tellMissed)
      }

      function tellMissed(): void {
        sendMany(missed)
        missed.clear()
      }

      if (followers.size === 0) begin()
      followers.add(follower)
      // Earlier changes, and those during a disconnect, are unknown.
      sendMany(kindsFor(reader))
      await new Promise((resolve) => {
        stream.over.addEventListener('abort', resolve, { once: true })
        if (stream.over.aborted) resolve(undefined)
      })
      followers.delete(follower)
      if (followers.size === 0) stop()
    },
  }
}

type Codes = ReadonlyMap<string, string | null>
