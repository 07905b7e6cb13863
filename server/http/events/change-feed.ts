import type { ChangeSource } from '../../../core/domain/change.ts'
import type { Directory } from '../caller/directory.ts'
import type { EventStream } from './event-stream.ts'
import { isFed, kindsFor, toldOf, type FedKind, type FeedReader, type Told } from './feed-view.ts'
import { GatheredChanges } from './gathered-changes.ts'

/** Tells streams what has changed, until they are over. */
export interface ChangeFeed {
  follow(stream: Pick<EventStream, 'send' | 'isFull' | 'taken' | 'over'>, reader: FeedReader): Promise<void>
}

/** Between two times that streams are told something, in milliseconds: a page that fetches anew then does so at most twice a second. */
const windowMs = 500
/** One action is several commits, which are told together. */
const gatherMs = 50

/** However many streams there are, each change is gathered once, and however much changes, each stream is told little of it. */
export function createChangeFeed(
  changes: ChangeSource,
  directory: Pick<Directory, 'organizationCode'>,
): ChangeFeed {
  const gathered = new GatheredChanges()
  const followers = new Set<(told: (reader: FeedReader) => Told, codes: Codes) => void>()
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

  /** Without it there is still something to tell. */
  const codeOf = (uuid: string): Promise<string | null> => directory.organizationCode(uuid).catch(() => null)

  async function tell(): Promise<void> {
    timer = undefined
    toldAt = performance.now()
    const taken = gathered.take()
    const uuids = [...taken.keys()].filter((uuid) => uuid !== null)
    const codes = await Promise.all(uuids.map(async (uuid) => [uuid, await codeOf(uuid)] as const))
    for (const follower of followers) follower((reader) => toldOf(taken, reader), new Map(codes))
  }

  return {
    async follow(stream, reader) {
      /** Kinds of which something has changed while the stream could take nothing. */
      const missed = new Set<FedKind>()

      function sendMany(kinds: Iterable<FedKind>): void {
        const listed = [...kinds]
        if (listed.length > 0) stream.send({ event: 'many', data: { kinds: listed } })
      }

      function follower(toldTo: (reader: FeedReader) => Told, codes: Codes): void {
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
      // What changed before, or while the reader was cut off, is not known.
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
