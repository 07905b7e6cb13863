import { ValidationError } from '../../core/errors/errors.ts'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import { printable } from '../output/printable.ts'

export interface PluginName {
  /** In playbooks: `impossible_quotes`. */
  readonly name: string
  /** `impossible-quotes`. */
  readonly folder: string
  /** `Impossible Quotes`. */
  readonly title: string
}

/**
 * All forms of a plugin name; words may be separated by underscores or hyphens.
 *
 * @throws ValidationError `plugin_name_invalid`, with a similar valid name
 */
export function pluginNameOf(text: string): PluginName {
  if (!/^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(text) || text.length > maxLength) throw invalid(text)
  if (isReservedOnWindows(text)) throw reserved(text)
  const words = text.split(/[_-]/)
  return {
    name: words.join('_'),
    folder: words.join('-'),
    title: words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' '),
  }
}

const maxLength = 50

const reserved = (text: string): ValidationError =>
  new ValidationError(
    'plugin_name_invalid',
    `'${printable(text)}' cannot name a plugin: Windows reserves it`,
    [],
    {
      hint: `choose another name, e.g. ${text}-tools`,
    },
  )

function invalid(text: string): ValidationError {
  const message = `'${printable(text)}' is not a valid plugin name`
  return new ValidationError('plugin_name_invalid', message, [], {
    hint: `use lower-case letters, digits and single hyphens, a letter first, up to ${maxLength} characters, e.g. ${likely(text)}`,
  })
}

function likely(text: string): string {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const name = (words ?? []).join('-').replace(/^[0-9-]+/, '')
  return name === '' || name.length > maxLength || isReservedOnWindows(name) ? 'ticket-system' : name
}
