import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Engine } from './engine.ts'

/** How the engine does, looked at again after `everyMs`. */
export const useEngine = (everyMs: number) =>
  useQuery({ queryKey: ['engine'], queryFn: () => get<Engine>('/engine'), refetchInterval: everyMs })
