/** How values stand in columns. */

/** JSON text, or null for undefined. JSON escapes unpaired surrogates, so every value comes back as it was. */
export function toJson(value: unknown): string | null {
  return JSON.stringify(value) ?? null
}

export function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

/**
 * Alert content, kept character for character. UTF-8 cannot hold an unpaired surrogate (`"\ud800"` is a valid JSON string);
 * such a text is kept as UTF-16LE in a BLOB. Every other text column takes U+FFFD for one.
 */
export function toContent(text: string): string | Buffer {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

export function fromContent(column: string | Buffer): string {
  return typeof column === 'string' ? column : column.toString('utf16le')
}

/** Folded for comparing names that may be any text; codes are ASCII and use COLLATE NOCASE. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
