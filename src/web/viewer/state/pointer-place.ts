/** Position of a pointer on an element, in CSS pixels from its top left corner. */
export function readPlace(element: Element, event: MouseEvent): [number, number] {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
