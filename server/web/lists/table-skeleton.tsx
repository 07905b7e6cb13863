import { Skeleton } from '@mantine/core'

/** As many as a tall screen shows; what does not fit is cut off. */
const rows = Array.from({ length: 30 }, (_, index) => index)

/** Rows of a table that are on their way, as high as they will be. */
export function TableSkeleton({
  template,
  columns,
}: {
  readonly template: string
  readonly columns: number
}) {
  return (
    <div className="table-skeleton" aria-hidden>
      {rows.map((row) => (
        <div key={row} className="data-table-row" style={{ gridTemplateColumns: template }}>
          {Array.from({ length: columns }, (_, column) => (
            <Skeleton key={column} h={10} w={`${55 + ((row * 7 + column * 13) % 40)}%`} />
          ))}
        </div>
      ))}
    </div>
  )
}
