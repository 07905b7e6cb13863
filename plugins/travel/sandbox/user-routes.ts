import { objectsAt } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { fixture } from './fixture.ts'
import { badRequest, pageOf, readPageQuery } from './page-answer.ts'

const users = () =>
  ['users-page-0', 'users-page-with-inactive'].flatMap((name) => objectsAt(fixture(name), 'data'))

/** GET `/v1/users`. */
export function listUsers(query: URLSearchParams): SandboxReply {
  const page = readPageQuery(query, 20)
  return page === undefined ? badRequest('page begins with 0, size is 1 to 100') : pageOf(users(), page)
}

/** GET `/travel/v1/users`, as some descriptions of the API have it: three at most on a page, and a cursor to the next. */
export function listUsersByCursor(query: URLSearchParams): SandboxReply {
  const from = Number(/^after-(\d+)$/.exec(query.get('cursor') ?? 'after-0')?.[1] ?? Number.NaN)
  if (Number.isNaN(from)) return badRequest('the cursor is not one of ours')
  const all = users()
  const to = from + Math.min(3, Number(query.get('page_size') ?? 3))
  return { json: { data: all.slice(from, to), next_cursor: to < all.length ? `after-${to}` : null } }
}
