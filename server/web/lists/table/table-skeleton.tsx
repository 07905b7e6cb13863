/** As many as a tall screen shows; what does not fit is cut off. */
const rows = Array.from({ length: 30 }, (_, index) => index)

interface TableSkeletonProps {
  readonly template: string
  readonly columns: number
}

/** Rows of a table that are on their way, as high as they will be. Plain elements: they are many, and shown while there is much else to do. */
export function TableSkeleton({ template, columns }: TableSkeletonProps) {
  return (
    <div className="table-skeleton" aria-hidden>
      {rows.map((row) => (
        <div key={row} className="data-table-row" style={{ gridTemplateColumns: template }}>
          {Array.from({ length: columns }, (_, column) => (
            <span key={column} style={{ width: `${55 + ((row * 7 + column * 13) % 40)}%` }} />
          ))}
        </div>
      ))}
    </div>
  )
}
