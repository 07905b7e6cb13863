import { Text } from '@mantine/core'
import './health.css'

interface MeterProps {
  readonly value: number
  readonly limit: number
}

/** How much of a limit is used: red at it, orange near it. */
export function Meter({ value, limit }: MeterProps) {
  const part = limit === 0 ? 1 : Math.min(1, value / limit)
  const color = part >= 1 ? 'red' : part >= 0.7 ? 'orange' : 'gray'
  return (
    <div className="meter">
      <Text component="span" size="sm" style={{ whiteSpace: 'nowrap' }}>
        {value.toLocaleString()} of {limit.toLocaleString()}
      </Text>
      <div className={`meter-track state-${color}`} aria-hidden>
        <div className="meter-fill" style={{ width: `${(part * 100).toFixed(1)}%` }} />
      </div>
    </div>
  )
}
