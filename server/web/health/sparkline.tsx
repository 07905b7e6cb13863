import './health.css'

interface SparklineProps {
  readonly points: readonly { readonly at: number; readonly value: number }[]
  readonly label: string
}

const [width, height] = [100, 32]

/** How a number went, without axes; its label says the extremes. */
export function Sparkline({ points, label }: SparklineProps) {
  const values = points.map(({ value }) => value)
  const highest = Math.max(1, ...values)
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  const x = (at: number): number => (to === from ? width : ((at - from) / (to - from)) * width)
  const y = (value: number): number => height - 2 - (value / highest) * (height - 4)
  const line = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const extremes = `${label}, since this page was opened: between ${Math.min(...values)} and ${Math.max(...values)}`
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={points.length < 2 ? label : extremes}
    >
      {points.length > 1 && (
        <>
          <polygon points={`0,${height} ${line} ${width},${height}`} />
          <polyline points={line} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  )
}
