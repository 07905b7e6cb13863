import type { QueryClient } from '@tanstack/react-query'
import { changeKinds } from '../../../core/domain/change.ts'
import { addressOf } from '../api/call.ts'
import { setLiveState, watchSilence } from './live-state.ts'
import { createRefresh } from './refresh.ts'

/** Retry after an error response. Browsers reconnect only after a broken connection. */
const againMs = 5_000
/** How long a hidden page keeps its connection. HTTP/1.1 allows six per browser. */
const hiddenMs = 5_000

/** Delay before reloading data that changed before the stream opened, so that the page renders first. */
const greetedMs = 1_000

/** Three heartbeats. A stalled proxy does not close the connection. */
const silentMs = 45_000

/** Kinds of events. The end of the stream reports the end of a session. */
const kinds = changeKinds.filter((kind) => kind !== 'session')

/** Reloads displayed data when it changes. Returns a function that stops it. */
export function followChanges(queries: QueryClient): () => void {
  const refresh = createRefresh(queries)
  let stream: EventSource | undefined
  let isGreeted = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = watchSilence(silentMs, () => {
    close()
    lost()
    open()
  })

  function open(): void {
    clearTimeout(timer)
    if (stream !== undefined) return
    stream = new EventSource(addressOf('/events'))
    silence.heard()
    stream.addEventListener('open', silence.heard)
    stream.addEventListener('heartbeat', silence.heard)
    for (const kind of kinds)
      stream.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        silence.heard()
        const { id } = JSON.parse(data) as { id: string | null }
        refresh(kind, id)
      })
    // The first event proves that no proxy buffers the stream.
    stream.addEventListener('many', ({ data }: MessageEvent<string>) => {
      silence.heard()
      setLiveState('live')
      const { kinds } = JSON.parse(data) as { kinds: readonly string[] }
      if (isGreeted) return kinds.forEach((kind) => refresh(kind))
      isGreeted = true
      setTimeout(() => kinds.forEach((kind) => refresh(kind)), greetedMs)
    })
    stream.addEventListener('error', lost)
  }

  function lost(): void {
    if (setLiveState('reconnecting')) {
      // The next requests show whether the server is up and knows the session.
      for (const kind of kinds) refresh(kind)
    }
    if (stream?.readyState !== EventSource.CLOSED) return
    close()
    timer = setTimeout(open, againMs)
  }

  function close(): void {
    clearTimeout(timer)
    silence.stop()
    stream?.close()
    stream = undefined
  }

  function seenOrNot(): void {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') open()
    else
      timer = setTimeout(() => {
        close()
        setLiveState('connecting')
      }, hiddenMs)
  }

  document.addEventListener('visibilitychange', seenOrNot)
  // Browsers notice a lost network before the connection breaks.
  window.addEventListener('offline', lost)
  seenOrNot()
  return () => {
    document.removeEventListener('visibilitychange', seenOrNot)
    window.removeEventListener('offline', lost)
    close()
    setLiveState('connecting')
  }
}
