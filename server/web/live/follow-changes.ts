import type { QueryClient } from '@tanstack/react-query'
import { changeKinds } from '../../../core/domain/change.ts'
import { addressOf } from '../api/call.ts'
import { setLiveState } from './live-state.ts'
import { createRefresh } from './refresh.ts'
import { watchSilence } from './watch-silence.ts'

/** After a refusal; browsers come again by themselves only where the connection broke. */
const againMs = 5_000
/** A page that nobody sees keeps its connection for so long: over HTTP/1.1 a browser has six for all its pages. */
const hiddenMs = 5_000

/** What changed between the first answers and the stream is asked for when the page stands: nearly always it is nothing. */
const greetedMs = 1_000

/** Three heartbeats: a proxy that stalls ends no connection, and tells nobody. */
const silentMs = 45_000

/** What is told; the end of a session is told by the end of the stream. */
const kinds = changeKinds.filter((kind) => kind !== 'session')

/** Asks for what is shown again when it changes, until the function that it gives is called. */
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
    // The first thing that is said: only then it is known that nothing on the way holds it back.
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
      // Is the server there, and does it know the session? Whoever asks will see.
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
  // The browser knows of a network that is gone before the connection does.
  window.addEventListener('offline', lost)
  seenOrNot()
  return () => {
    document.removeEventListener('visibilitychange', seenOrNot)
    window.removeEventListener('offline', lost)
    close()
    setLiveState('connecting')
  }
}
