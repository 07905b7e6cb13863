import { ValidationError } from '../core/errors/errors.ts'
import { printable } from './output/printable.ts'

/** Of the API at an address that somebody gave: with the usual prefix where there is none. Throws ValidationError `url_invalid`. */
export function apiUrlOf(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new ValidationError('url_invalid', `'${printable(url)}' is no address of a server`, [], {
      hint: 'write it like http://127.0.0.1:8080',
    })
  const { origin, pathname } = new URL(url)
  return origin + (pathname === '/' ? '/api' : pathname.replace(/\/+$/, ''))
}
