import { Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { problemOf } from '../api/problem.ts'
import { Refusal } from '../parts/states/refusal.tsx'

interface FormRefusalProps {
  readonly error: unknown
  /** How many of its errors stand at their fields. */
  readonly shown: number
}

/** Why a form was refused. What is wrong with a field stands there, and the first of them is gone to. */
export function FormRefusal({ error, shown }: FormRefusalProps) {
  const place = useRef<HTMLDivElement>(null)
  const { errors = [] } = problemOf(error)
  useEffect(() => {
    place.current?.closest('form, fieldset')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])
  const places = new Set(errors.map(({ pointer }) => pointer ?? ''))
  const isAllShown = places.size > 0 && places.size === shown
  return (
    <div ref={place}>
      {isAllShown ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {shown === 1
            ? 'One field needs another look: it is marked.'
            : `${shown} fields need another look: they are marked.`}
        </Text>
      ) : (
        <Refusal error={error} />
      )}
    </div>
  )
}
