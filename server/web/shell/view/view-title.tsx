import { Text, Title } from '@mantine/core'

interface ViewTitleProps {
  readonly children: string
  /** Id of what the title names. */
  readonly id?: string
}

/** The title of a view, in the page and in the tab of the browser. */
export function ViewTitle({ children, id }: ViewTitleProps) {
  return (
    <>
      <title>{`${id === undefined ? '' : `${id} `}${children} · Tocsin`}</title>
      <Title order={1} className="outside-text">
        {id !== undefined && (
          <Text component="span" inherit c="dimmed">
            {id}{' '}
          </Text>
        )}
        {children}
      </Title>
    </>
  )
}
