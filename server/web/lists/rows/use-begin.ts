import { useCallback, useSyncExternalStore } from 'react'
import { currentTime, onTick } from '../../parts/time/now.ts'
import { beginOf } from './since.ts'

const never = () => () => undefined

/** When a span of time up to now began, as `beginOf` has it: another one as time goes on. */
export function useBegin(span: string | undefined): number | undefined {
  return useSyncExternalStore(
    span === undefined ? never : onTick,
    useCallback(() => beginOf(span, currentTime()), [span]),
  )
}
