import { useQuery } from '@tanstack/react-query'
import { get } from '../api/call.ts'
import type { Checkpoint } from './checkpoint.ts'
import { loadTogether } from './answer/load-together.ts'

const load = loadTogether(get)

/** What became of a question that no longer waits; until that is known, the question as it was. */
export function useEnded(checkpoint: Checkpoint, isEnded: boolean): Checkpoint {
  const { checkpoint_id: id } = checkpoint
  const found = useQuery({
    queryKey: ['checkpoint', id],
    queryFn: () => load(id),
    enabled: isEnded,
    // It ends once.
    staleTime: Infinity,
  })
  return isEnded ? (found.data ?? checkpoint) : checkpoint
}
