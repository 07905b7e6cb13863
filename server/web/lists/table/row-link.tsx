import { Link } from 'wouter'
import { breakable } from '../../parts/json/breakable.tsx'

interface RowLinkProps {
  readonly href: string
  readonly text: string
  /** Leads to what the row is about, as a click on the row does. */
  readonly isMain?: boolean
  /** It stands in a text. */
  readonly isInline?: boolean
}

/** A link in a row of a table; in two lines where it is long, and whole in its tooltip. */
export function RowLink({ href, text, isMain, isInline = false }: RowLinkProps) {
  const className = isInline ? 'row-link' : 'row-link data-table-text'
  return (
    <Link href={href} className={className} data-main={isMain} title={text} tabIndex={-1}>
      {breakable(text)}
    </Link>
  )
}
