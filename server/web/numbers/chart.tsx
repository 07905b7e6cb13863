import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
} from 'chart.js'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { Series } from './series.ts'

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
)

export interface ChartProps {
  readonly label: string
  readonly kind: 'bar' | 'line'
  /** One for each period. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly format?: (value: number) => string
}

/** Colours with a contrast of 3 to 1 on both backgrounds, told apart by people with colour blindness (Okabe and Ito, darkened). */
const colours = [
  '#2b7fb8',
  '#c9711a',
  '#1e9e77',
  '#b65a97',
  '#8c7a1f',
  '#5b6fd6',
  '#c2484f',
  '#4d8f2d',
  '#7b8896',
]

/** Drawn on a canvas: the table beside it has the same numbers for people who cannot see it. */
export default function NumberChart({ label, kind, labels, series, format }: ChartProps) {
  const place = useRef<HTMLCanvasElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    if (place.current === null) return undefined
    const style = getComputedStyle(place.current)
    const text = style.getPropertyValue('--mantine-color-dimmed').trim() || style.color
    const line = style.getPropertyValue('--mantine-color-default-border').trim() || text
    const chart = new Chart(place.current, configOf({ kind, labels, series, format }, { text, line }))
    return () => chart.destroy()
  }, [kind, labels, series, format, scheme])
  return (
    <div className="number-chart">
      <canvas ref={place} role="img" aria-label={label} />
    </div>
  )
}

type Drawn = Omit<ChartProps, 'label' | 'format'> & { readonly format: ChartProps['format'] | undefined }

function configOf(
  { kind, labels, series, format }: Drawn,
  look: { readonly text: string; readonly line: string },
): ChartConfiguration {
  const shown = (value: unknown): string => (format ?? ((n) => n.toLocaleString()))(Number(value))
  return {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values }, at) => ({
        label: name,
        data: [...values],
        backgroundColor: colours[at % colours.length],
        borderColor: colours[at % colours.length],
        borderWidth: kind === 'line' ? 2 : 0,
        spanGaps: true,
        pointRadius: 2,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          stacked: kind === 'bar',
          ticks: { color: look.text, maxRotation: 0, autoSkipPadding: 16 },
          grid: { display: false },
        },
        y: {
          stacked: kind === 'bar',
          beginAtZero: true,
          ticks: { color: look.text, precision: 0, callback: shown },
          grid: { color: look.line },
        },
      },
      plugins: {
        legend: { position: 'bottom', labels: { color: look.text, boxWidth: 12, boxHeight: 12 } },
        tooltip: { callbacks: { label: ({ dataset, raw }) => `${dataset.label ?? ''}: ${shown(raw)}` } },
      },
    },
  }
}
