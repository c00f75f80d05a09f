import { type PointerEvent, useRef, useState } from 'react';

/** Mouse movements below this are a click, in CSS pixels. */
const DRAG_MIN = 6;

interface PlotPointerOptions {
  readonly active: number | null;
  /** Returns the column and the layer of the bar at a place; no layer outside the bars. */
  readonly find: (x: number, y: number) => { readonly column: number; readonly layer: number | null };
  readonly onActive: (column: number | null) => void;
  readonly onHover: (layer: number | null) => void;
  readonly onPick: (layer: number, column: number) => void;
  /** null = dragging does nothing. */
  readonly onDrag: ((from: number, to: number) => void) | null;
}

interface PointerPress {
  readonly x: number;
  readonly column: number;
  /** The column that was shown before, for touches: the first one shows, the second one acts. */
  readonly shown: number | null;
}

interface DraggedColumns {
  readonly from: number;
  readonly to: number;
}

/** Turns pointer events into the column shown, a chosen bar, or a dragged range. */
export function usePlotPointer({ active, find, onActive, onHover, onPick, onDrag }: PlotPointerOptions) {
  const press = useRef<PointerPress | null>(null);
  const [dragged, setDragged] = useState<DraggedColumns | null>(null);
  const release = (): void => {
    press.current = null;
    setDragged(null);
  };
  return {
    dragged,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLElement>): void {
        if (event.button !== 0) return;
        const { x, y } = pointerPlace(event);
        press.current = { x, column: find(x, y).column, shown: active };
        if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove(event: PointerEvent<HTMLElement>): void {
        const { x, y } = pointerPlace(event);
        const { column, layer } = find(x, y);
        onActive(column);
        onHover(event.pointerType === 'mouse' ? layer : null);
        const from = press.current;
        if (from && onDrag && event.pointerType === 'mouse' && Math.abs(x - from.x) >= DRAG_MIN)
          setDragged({ from: Math.min(from.column, column), to: Math.max(from.column, column) });
      },
      onPointerUp(event: PointerEvent<HTMLElement>): void {
        const { x, y } = pointerPlace(event);
        const { column, layer } = find(x, y);
        const from = press.current;
        release();
        onActive(column);
        if (dragged) onDrag?.(dragged.from, dragged.to);
        else if (from && layer !== null && (event.pointerType === 'mouse' || from.shown === column))
          onPick(layer, column);
      },
      onPointerCancel: release,
      onPointerLeave: () => onHover(null),
    },
  };
}

function pointerPlace({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>): { x: number; y: number } {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}
