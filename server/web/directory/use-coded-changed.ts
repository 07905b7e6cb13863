import { useQueryClient } from '@tanstack/react-query'
import type { CodedKind } from './coded.ts'

/** What shows organizations or providers is asked for again: the list, and fields in which one is chosen. */
export function useCodedChanged({ path }: CodedKind): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.resetQueries({ queryKey: ['list', path] })
    void queries.invalidateQueries({ queryKey: [path] })
  }
}
