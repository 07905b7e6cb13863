/** Beginnings of contents that are too large to be read for a list; of all others the preview is made from the content. */
export const contentPreviews = `
ALTER TABLE alerts ADD COLUMN content_preview TEXT;
`
