import { Badge } from '@mantine/core'
import { LightningBoltIcon, PauseIcon } from '@radix-ui/react-icons'
import { Link } from 'wouter'
import { useEngine, useEngineHistory } from '../health/use-engine.ts'

/** Says in every view what is not as usual: runs are paused, or a storm of alerts comes in. Keeps the history that the health view shows. */
export function EngineMark() {
  const { data } = useEngine(15_000)
  useEngineHistory()
  const text = data?.state === 'paused' ? 'Runs are paused' : data?.storm === true ? 'Storm' : undefined
  if (text === undefined) return null
  return (
    <Badge
      component={Link}
      href="/health"
      color={text === 'Storm' ? 'red' : 'orange'}
      size="lg"
      leftSection={text === 'Storm' ? <LightningBoltIcon /> : <PauseIcon />}
    >
      {text}
    </Badge>
  )
}
