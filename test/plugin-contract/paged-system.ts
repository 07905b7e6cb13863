import { type PageRequest } from '../../core/plugin/index.ts'

export const numbers = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_one, index) => from + index)

/** A system with this many items, which pages by offset only. */
export function pagedSystem(total: number) {
  const asked: PageRequest[] = []
  const fetch = async (page: PageRequest): Promise<readonly number[]> => {
    asked.push(page)
    return numbers(page.offset, Math.min(page.size, Math.max(0, total - page.offset)))
  }
  return { asked, fetch }
}

export const idOf = String
