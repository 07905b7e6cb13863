import { problemOf } from '../../api/problem.ts'

const shownAtMost = 60

/**
 * Which filters of the address the API does not understand, in the words of the page. None where it refused anything else: then
 * its own words say what.
 */
export function wrongFilters(error: unknown, params: URLSearchParams): readonly string[] {
  const { code, errors = [] } = problemOf(error)
  if (code !== 'query_invalid') return []
  const names = [...new Set(errors.map(({ pointer = '' }) => pointer.slice(1)))]
  if (!names.every((name) => params.has(name))) return []
  return names.map((name) => {
    const value = params.get(name) ?? ''
    const shown = value.length > shownAtMost ? `${value.slice(0, shownAtMost)}…` : value
    return `${name.replaceAll('_', ' ')} cannot be “${shown}”`
  })
}
