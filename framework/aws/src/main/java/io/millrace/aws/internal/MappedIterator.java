package io.millrace.aws.internal;

import java.util.Iterator;
import java.util.function.Function;

/** What a function makes of each element of another iterator, one at a time. Not thread-safe. */
public final class MappedIterator<T, R> implements Iterator<R> {
    private final Iterator<T> elements;
    private final Function<? super T, ? extends R> function;

    public MappedIterator(Iterator<T> elements, Function<? super T, ? extends R> function) {
        this.elements = elements;
        this.function = function;
    }

    @Override
    public boolean hasNext() {
        return elements.hasNext();
    }

    @Override
    public R next() {
        return function.apply(elements.next());
    }
}
