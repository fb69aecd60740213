export 'src.dart'
    show
        MatrixUtils,
        RenderAnimatedOpacity,
        RenderBox,
        RenderObject,
        RenderOffstage,
        RenderOpacity,
        RenderView;
