import { Group, Text } from '@mantine/core'
import type { ApiObservable } from '../api/types.ts'
import { TextLink } from '../parts/layout.tsx'
import { breakable, Copy } from '../parts/text-view.tsx'
import { showInvisible } from '../parts/outside-text.ts'

type Named = Pick<ApiObservable, 'kind' | 'value'>

/** The filter of lists for an observable. */
export const observableFilter = ({ kind, value }: Named): string => `${kind}:${value}`

/** The page of an observable. Its value can contain anything, so it is a parameter and not part of the path. */
export const observableHref = (named: Named): string =>
  `/observables?observable=${encodeURIComponent(observableFilter(named))}`

interface ObservableValueProps {
  readonly named: Named
  /** Cases that have it; undefined: not shown. */
  readonly cases?: number
}

/** The value of an observable, as a link to its page, with the number of cases. */
export function ObservableValue({ named, cases }: ObservableValueProps) {
  const { kind, value } = named
  return (
    <Group gap="2px 8px" align="baseline">
      <span className="observable-value">
        <TextLink href={observableHref(named)}>
          <Text component="span" inherit ff="monospace" className="outside-text">
            {breakable(showInvisible(value))}
          </Text>
        </TextLink>{' '}
        <Copy value={value} label={`Copy ${kind}`} />
      </span>
      {cases !== undefined && cases > 0 && (
        <Text size="xs" c="dimmed">
          {seenText(cases)}
        </Text>
      )}
    </Group>
  )
}

const seenText = (cases: number): string =>
  cases === 1 ? 'Seen in 1 case' : `Seen in ${cases.toLocaleString()} cases`
